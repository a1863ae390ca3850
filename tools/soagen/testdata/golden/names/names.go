// Package names has names that are not exported, or long.
package names

//go:generate go run github.com/seed505807e1/berth/tools/soagen -type spark -name swarm
//go:generate go run github.com/seed505807e1/berth/tools/soagen -type EnemyBattleCruiserSquadronFormationMember
//go:generate go run github.com/seed505807e1/berth/tools/soagen -type city -output city_list.go
//go:generate go run github.com/seed505807e1/berth/tools/soagen -type Éclair -output eclair_soa.go

type spark struct{ heat float64 }

// EnemyBattleCruiserSquadronFormationMember has a long name.
type EnemyBattleCruiserSquadronFormationMember struct{ Health, Shield int }

type city struct {
	rows, cols, dead, Len int // the names of the container's own fields
}

// Éclair begins with a letter of two bytes.
type Éclair struct{ Crème float64 }

var all = swarm{}
