package world

// Kind is one of the five containers.
type Kind uint8

// The containers, in display order.
const (
	Pool Kind = iota
	Dense
	List
	Map
	Gen

	// Kinds is the number of containers.
	Kinds int = 5
)

var kinds = [Kinds]struct {
	id, name, about string
	box             func(seed uint32) box // makes an empty one
}{
	Pool: {"pool", "berth.Pool",
		"chunks of slots that never move; inserts take the lowest vacant slot, and a chunk that " +
			"empties is released",
		newPoolBox},
	Dense: {"dense", "berth.Dense",
		"values adjacent in one slice, and a table from handles to positions; after " +
			"a burst they move to a smaller slice",
		newDenseBox},
	List: {"list", "stable.List",
		"with the placement Quartered: slots in one piece of memory, in two quarters and a half; " +
			"when the half empties, it truncates, and releases memory beyond twice its length",
		newListBox},
	Map: {"map", "map[uint64]*T",
		"Go's map, and an allocation for each value; the map never gets smaller",
		func(uint32) box { return &mapBox{m: make(map[uint64]*Thing)} }},
	Gen: {"gen", "generational pool",
		"a slice of slots with generations and a stack of the vacant ones; it never gets smaller",
		func(uint32) box { return new(genBox) }},
}

// ID returns the short name for URLs, such as "pool".
func (k Kind) ID() string { return kinds[k].id }

// Name returns the name of the type, such as "berth.Pool".
func (k Kind) Name() string { return kinds[k].name }

// About describes in a line how the container uses memory.
func (k Kind) About() string { return kinds[k].about }

// IDs returns the short names of all containers.
func IDs() []string {
	ids := make([]string, Kinds)
	for k := range ids {
		ids[k] = kinds[k].id
	}
	return ids
}

// KindByID returns the Kind of an ID, or false if there is none.
func KindByID(id string) (Kind, bool) {
	for k := range kinds {
		if kinds[k].id == id {
			return Kind(k), true
		}
	}
	return 0, false
}
