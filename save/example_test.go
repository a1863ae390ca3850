package save_test

import (
	"encoding/json"
	"fmt"

	"github.com/seed505807e1/berth"
	_ "github.com/seed505807e1/berth/save"
)

func Example() {
	type game struct{ Names berth.Pool[string] }
	var a, b game
	ada := a.Names.Insert("Ada")
	data, err := json.Marshal(&a)
	fmt.Println(err, json.Unmarshal(data, &b))
	fmt.Println(b.Names.Get(ada))
	// Output:
	// <nil> <nil>
	// Ada true
}
