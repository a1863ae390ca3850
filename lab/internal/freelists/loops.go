package freelists

// The loops of FreeList, by the calls of a list. The compiler inlines them, and into them the
// calls, if these are function literals that an inlined method returns, or in generic code, method
// values. So each loop is compiled as if it were written out. The methods pop and push of a list
// return its calls. out are the indices that a loop writes to or reads, and in those of Scatter.

func pair[V any](out []V, pairs int, pop func() (V, bool), push func(V)) (popped int) {
	for k := range pairs {
		if v, ok := pop(); ok {
			out[k&(len(out)-1)] = v
			push(v)
			popped++
		}
	}
	return popped
}

func drain[V any](out []V, pop func() (V, bool)) int {
	for i := range out {
		v, ok := pop()
		if !ok {
			return i
		}
		out[i] = v
	}
	return len(out)
}

func back[V any](out []V, push func(V)) {
	for i := len(out) - 1; i >= 0; i-- {
		push(out[i])
	}
}

func swap[V any](out []V, places *freePlaces, pop func() (V, bool), push func(V)) (popped int) {
	for _, i := range places {
		p := &out[i]
		push(*p)
		if v, ok := pop(); ok {
			*p = v
			popped++
		}
	}
	return popped
}

func scatter[V any](in []V, push func(V)) {
	for _, v := range in {
		push(v)
	}
}
