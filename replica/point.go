package replica

// point is called at each step of Lead, Flush and Snapshot, with its name. Tests replace it before
// anything runs.
var point = func(string) {}
