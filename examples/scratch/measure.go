package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// generate returns a batch with a number of lines: random devices report metrics, and sometimes
// correct an earlier reading.
func generate(random *rand.Rand, lines int) []byte {
	metrics := [...]string{"temperature", "pressure", "flow", "vibration", "power"}
	kinds := [...]string{"pump", "valve", "tank", "mixer"}
	const begin = 1_795_000_000
	var b []byte
	for i := range lines {
		device := random.IntN(16)
		b = fmt.Appendf(b, "%s-%02d,%s,%d,%d\n", kinds[device%len(kinds)], device,
			metrics[random.IntN(len(metrics))], begin+i-random.IntN(60), random.IntN(100_000)-5000)
	}
	return b
}

// workload has requests with their answers.
type workload struct{ bodies, answers [][]byte }

func newWorkload() (w workload, err error) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 64 {
		body := generate(random, 500+random.IntN(1001))
		err = summarisePlain(context.Background(), bytes.NewReader(body), int64(len(body)),
			func(answer []byte) { w.answers = append(w.answers, answer) })
		if err != nil {
			return w, err
		}
		w.bodies = append(w.bodies, body)
	}
	return w, nil
}

// use is the use of the machine by requests, from the counters of the process.
type use struct {
	objects, bytes, collections uint64
	collector, busy             float64 // seconds of CPU
	paused                      time.Duration
}

func readUse() use {
	s := []metrics.Sample{
		{Name: "/gc/heap/allocs:objects"},
		{Name: "/gc/heap/allocs:bytes"},
		{Name: "/gc/cycles/automatic:gc-cycles"},
		{Name: "/cpu/classes/gc/total:cpu-seconds"},
		{Name: "/cpu/classes/total:cpu-seconds"},
		{Name: "/cpu/classes/idle:cpu-seconds"},
	}
	runtime.GC() // the end of a collection updates the CPU counters
	metrics.Read(s)
	var gc debug.GCStats
	debug.ReadGCStats(&gc)
	return use{
		objects: s[0].Value.Uint64(), bytes: s[1].Value.Uint64(), collections: s[2].Value.Uint64(),
		collector: s[3].Value.Float64(), busy: s[4].Value.Float64() - s[5].Value.Float64(),
		paused: gc.PauseTotal,
	}
}

// result is the outcome of a number of requests to a version.
type result struct {
	requests, right int
	use             use
	took            time.Duration
}

// measure makes requests over the loopback from several clients, after a tenth as many to warm up.
func measure(v version, w workload, requests, clients int) (r result, err error) {
	s, err := serve("127.0.0.1:0", handler(v))
	if err != nil {
		return r, err
	}
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	defer func() {
		transport.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		err = errors.Join(err, s.stop(ctx))
	}()
	client := &http.Client{Transport: transport}
	if _, err := ask(client, s.url, w, requests/10, clients); err != nil {
		return r, err
	}
	before, start := readUse(), time.Now()
	r.right, err = ask(client, s.url, w, requests, clients)
	r.took = time.Since(start)
	after := readUse()
	r.requests = requests
	r.use = use{
		after.objects - before.objects, after.bytes - before.bytes,
		after.collections - before.collections, after.collector - before.collector,
		after.busy - before.busy, after.paused - before.paused,
	}
	return r, err
}

// ask makes requests and returns the number of right answers.
func ask(c *http.Client, url string, w workload, requests, clients int) (right int, err error) {
	var all sync.WaitGroup
	var next, good atomic.Int64
	errs := make([]error, clients)
	for k := range clients {
		all.Go(func() {
			var answer bytes.Buffer
			for errs[k] == nil {
				i := next.Add(1) - 1
				if i >= int64(requests) {
					return
				}
				which := int(i) % len(w.bodies)
				answer.Reset()
				errs[k] = post(c, url, w.bodies[which], &answer)
				if bytes.Equal(answer.Bytes(), w.answers[which]) {
					good.Add(1)
				}
			}
		})
	}
	all.Wait()
	return int(good.Load()), errors.Join(errs...)
}

// post makes one request. The answer begins with the status, unless it is 200.
func post(c *http.Client, url string, body []byte, answer *bytes.Buffer) error {
	r, err := c.Post(url, "text/csv", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer r.Body.Close() //nolint:errcheck // it was only read
	if r.StatusCode != http.StatusOK {
		answer.WriteString(strconv.Itoa(r.StatusCode) + " ")
	}
	_, err = io.Copy(answer, r.Body)
	return err
}

// ignore is the version that only reads the body. Its cost is that of net/http.
func ignore(_ context.Context, body io.Reader, _ int64, reply func([]byte)) error {
	if _, err := io.Copy(io.Discard, body); err != nil {
		return err
	}
	reply(nil)
	return nil
}

// row returns r as a row of a table.
func (r result) row() string {
	n := float64(r.requests)
	return fmt.Sprintf("%7.0f  %7.0f  %11d  %6.1f ms  %7.1f %%  %8.0f",
		float64(r.use.objects)/n, float64(r.use.bytes)/n, r.use.collections,
		float64(r.use.paused)/float64(time.Millisecond), 100*r.use.collector/r.use.busy,
		n/r.took.Seconds())
}
