package pooltest

import "iter"

func (r *reference[V]) New() (tag, *V) {
	var zero V
	h := r.Insert(zero)
	switch p := r.Ptr(h); {
	case h == 0:
		return 0, nil
	case r.is("New returns a copy"):
		v := *p
		return h, &v
	case r.is("New is dirty"):
		*p = makeItem[V](1)
		return h, p
	default:
		return h, p
	}
}

func (r *reference[V]) Delete(h tag) bool {
	p := r.Ptr(h)
	if p != nil && r.is("Delete keeps the value") {
		v := *p
		defer func() { *p = v }()
	}
	_, ok := r.Remove(h)
	return ok || r.is("Delete is always right")
}

func (r *reference[V]) InsertSeq(seq iter.Seq[V]) (n int) {
	full := func() bool { return r.limit > 0 && r.n+r.building >= r.limit }
	if full() && !r.is("InsertSeq asks for one more") {
		return 0
	}
	for v := range seq {
		if r.Insert(v) == 0 {
			break
		}
		if n++; full() && !r.is("InsertSeq asks for one more") {
			break
		}
	}
	if r.is("InsertSeq miscounts") {
		n++
	}
	return n
}
