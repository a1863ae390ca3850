package main

// intro is the beginning of docs/verbs.md.
const intro = `<!-- Written by: go run ./tools/check -write verbs -->

# Verbs

One word stands for one act on every container. ✓ is a method. A word in italics is a function
that takes the container, of its package or of berth. A word in code does nearly the same act. A
letter is [the reason](#reasons) why the verb is missing. Columns and a concurrent.Members have
few verbs, [listed below](#all-other-verbs). The JSON methods of a stable.List only return an error.
`

// containers are the columns of the tables.
var containers = []container{
	{"Pool", ".", "Pool"},
	{"Dense", ".", "Dense"},
	{"stable.List", "stable", "ListOf"},
	{"concurrent.Pool", "concurrent", "Pool"},
	{"arena.Pool", "arena", "Pool"},
	{"arena.Handles", "arena", "Handles"},
	{"arena.Vec", "arena", "Vec"},
	{"arena.Map", "arena", "Map"},
}

// listed are the containers whose verbs are in the list only.
var listed = []container{
	{"Column", ".", "Column"},
	{"DenseColumn", ".", "DenseColumn"},
	{"concurrent.Members", "concurrent", "Members"},
}

// others say where the other verbs of those are.
var others = map[string]string{
	"Column":      "Its Pool has the others, and changes the slots of both",
	"DenseColumn": "Its Dense has the others, and moves the values of both. `Slice` is the loop",
	"concurrent.Members": "A Snapshot has the loops, and stays as it is. For pointers, handles " +
		"in advance and Drop take a concurrent.Pool",
}

// acts are the tables.
var acts = []act{
	{"Insert", "Insert New InsertFunc TryInsert InsertAt InsertSeq InsertAll NewN"},
	{"Find", "Get Ptr Contains At IndexOf"},
	{"Remove", "Remove Delete RemoveFunc Drain Clear"},
	{"Loop", "All Values Spans Span Backward Handles Traverse Pairs Apply"},
	{"Memory", "Len Cap Grow Clip Stats Slots"},
	{"Copy, save and attach", "Clone CopyFrom AppendBinary MarshalBinary UnmarshalBinary " +
		"Encode Decode MarshalJSON UnmarshalJSON NewHistory NewColumn SetHooks String"},
}

// The reasons that several entries of reasons have.
const (
	arenas = "for values that are freed together; for others take a Pool or a Dense, perhaps " +
		"with an `arena.Backing`"
	memory = "the Arena has this verb"
	keys   = "a Vec finds values by position and a Map by your keys, so they issue no handles"
	shards = "goroutines change the shards meanwhile, so there is no order, and no state of all " +
		"values to copy, save or mirror"
)

// reasons explain the cells without a verb.
var reasons = []reason{
	{"arena.Map", "Insert TryInsert", "`Set`"},
	{"arena.Vec", "Insert TryInsert", "`Push`"},
	{"arena.Vec", "InsertSeq InsertAll", "`Append`"},
	{"arena.Vec", "NewN", "`Resize`"},
	{"concurrent.Pool arena.Handles", "New", "`InsertFunc`"},
	{"stable.List", "InsertFunc", "`New`"},
	{"arena.Pool arena.Handles", "TryInsert", "`Insert`"},
	{"concurrent.Pool", "InsertSeq InsertAll", "`Insert`"},
	{"concurrent.Pool", "NewN", "`InsertFunc`"},
	{"stable.List", "InsertAll", "*InsertSeq*"},
	{"stable.List", "NewN", "`New`"},
	{"arena.Vec", "Get", "`At`"},
	{"concurrent.Pool", "Ptr", "`Acquire`, `Use`"},
	{"arena.Map", "Contains", "`Ptr`"},
	{"Dense", "IndexOf", "`PlaceOf`"},
	{"stable.List", "IndexOf", "`Key.Index`"},
	{"arena.Handles", "IndexOf", "`Handle64.Index`"},
	{"arena.Vec", "Remove Delete", "`Pop`"},
	{"arena.Handles arena.Map", "Remove", "`Delete`"},
	{"arena.Pool", "Delete", "`Remove`"},
	{"concurrent.Pool arena.Handles arena.Map", "RemoveFunc", "`All`, `Delete`"},
	{"arena.Pool", "RemoveFunc", "`All`, `Remove`"},
	{"arena.Vec Dense", "Span", "`Slice`"},
	{"arena.Pool", "At", "`Ptr`"},
	{"arena.Vec", "Values Spans", "`Slice`"},
	{"concurrent.Pool arena.Map", "Values", "`All`"},
	{"arena.Vec", "Grow", "`Reserve`"},
	{"concurrent.Pool", "SetHooks", "`Config.Drop`"},

	{"stable.List", "*", "only a Pool and a Dense have histories, columns and maps of their slots"},
	{"concurrent.Pool", "Cap Grow Clip", "each shard grows and shrinks by itself"},
	{"concurrent.Pool", "* At Spans AppendBinary MarshalBinary UnmarshalBinary", shards},
	{"arena.Pool arena.Vec arena.Map", "Stats", memory},
	{"arena.Pool arena.Handles arena.Map", "Clip", memory},
	{"arena.Vec arena.Map", "New InsertFunc InsertAt IndexOf", keys},
	{"arena.Map", "At", keys},
	{"arena.Vec", "Contains", keys},
	{"arena.Handles arena.Vec arena.Map", "Drain", arenas},
	{"arena.Map", "Spans", arenas},
	{"arena.Pool arena.Handles arena.Vec arena.Map", "*", arenas},
}
