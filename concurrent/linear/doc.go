// Package linear tests that the calls of a concurrent.Pool are linearizable: for each handle, they
// take effect one after the other, each between its call and its return. Those of a
// concurrent.Members are so for all handles together. It is a module of its own, so that the users
// of berth do not build porcupine, which searches for that order.
package linear
