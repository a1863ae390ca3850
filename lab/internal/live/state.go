package live

import (
	"encoding/json"

	"github.com/seed505807e1/berth/lab/internal/world"
)

// wireState is the state of the world and the viewers as JSON.
type wireState struct {
	Type    string     `json:"type"` // "state"
	Scene   wireScene  `json:"scene"`
	Exact   bool       `json:"exact"`
	Now     wireNow    `json:"now"`
	Run     []string   `json:"run"`
	Paused  bool       `json:"paused"`
	Step    uint32     `json:"step"`
	Viewers int        `json:"viewers"`
	Kinds   []wireKind `json:"kinds"`
	Limits  wireLimits `json:"limits"`
}

type wireScene struct {
	Seed   uint32 `json:"seed"`
	Spawn  int    `json:"spawn"`
	Life   int    `json:"life"`
	Events string `json:"events"`
}

type wireNow struct {
	Spawn int `json:"spawn"`
	Life  int `json:"life"`
}

type wireKind struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	About string `json:"about"`
}

type wireLimits struct {
	Spawn  int `json:"spawn"`
	Life   int `json:"life"`
	Things int `json:"things"`
	Burst  int `json:"burst"`
}

// wireText is a notice or an error.
type wireText struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

func (r *room) state() []byte {
	s := r.world.Scene()
	spawn, life := r.world.Now()
	m := wireState{
		Type:    "state",
		Scene:   wireScene{Seed: s.Seed, Spawn: s.Spawn, Life: s.Life, Events: s.EventsText()},
		Exact:   r.world.Exact(),
		Now:     wireNow{Spawn: spawn, Life: life},
		Paused:  r.paused,
		Step:    r.world.StepNumber(),
		Viewers: r.viewers.Len(),
		Limits: wireLimits{
			Spawn: world.MaxSpawn, Life: world.MaxLife, Things: world.MaxThings, Burst: world.Burst,
		},
	}
	for _, k := range r.world.Running() {
		m.Run = append(m.Run, k.ID())
	}
	for k := range world.Kind(world.Kinds) {
		m.Kinds = append(m.Kinds, wireKind{ID: k.ID(), Name: k.Name(), About: k.About()})
	}
	return mustJSON(m)
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("live: " + err.Error()) // values of these types always encode
	}
	return b
}
