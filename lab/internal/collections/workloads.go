package collections

import "github.com/seed505807e1/berth/lab/internal/measure"

// Workloads lists the workloads on collections in running order.
var Workloads = []*measure.Workload{
	basic, elements, cross, Ephemeral, spike, crossEphemeral, sparse, churn, dcm, dcmPool, rooms,
	memory, gc,
}
