package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/seed505807e1/berth/arena"
)

// answerOf returns the answer of a version.
func answerOf(v version, body io.Reader, size int64) (answer string, err error) {
	err = v(context.Background(), body, size, func(b []byte) { answer = string(b) })
	return answer, err
}

// answerText returns the answer and the error as one string.
func answerText(v version, body []byte) string {
	answer, err := answerOf(v, bytes.NewReader(body), int64(len(body)))
	return fmt.Sprintf("%s%v", answer, err)
}

func one() *batches { return newBatches(1, time.Minute) }

func TestAnswer(t *testing.T) {
	long := strings.Repeat("n", longestName)
	tests := []struct{ body, want string }{
		{"a,b,1,2", "readings 1, corrections 0, series 1\na,b,1,2,2,2,2,2\n<nil>"},
		{"a,b,1,2\r\na,b,1,3\r\n", "readings 1, corrections 1, series 1\na,b,1,3,3,3,3,3\n<nil>"},
		{"b,x,9,-5\na,y,3,1\nb,x,7,9\na,x,1,4\nb,x,8,6\nb,x,6,8\n", // the last in time is not the last line
			"readings 6, corrections 0, series 3\na,x,1,4,4,4,4,4\na,y,1,1,1,1,1,1\nb,x,4,-5,6,9,18,-5\n<nil>"},
		{"ab,c,1,1\na,bc,1,2\n", "readings 2, corrections 0, series 2\na,bc,1,2,2,2,2,2\nab,c,1,1,1,1,1,1\n<nil>"},
		{long + "," + long + ",4294967295,-2147483648\n",
			"readings 1, corrections 0, series 1\n" + long + "," + long +
				strings.Replace(",1,M,M,M,M,M", "M", "-2147483648", -1) + "\n<nil>"},
		{"", "no readings"},
		{"\n", "line 1: " + badFields},
		{"a,b,1,2\n\n", "line 2: " + badFields},
		{"a,b,1\n", "line 1: " + badFields},
		{"a,b,1,2,\n", "line 1: " + badFields},
		{"a,b,1,2\n,b,1,2\n", "line 2: " + badName},
		{"a,b c,1,2", "line 1: " + badName},
		{long + "n,b,1,2", "line 1: " + badName},
		{"a,b,-1,2", "line 1: " + badTime},
		{"a,b,4294967296,2", "line 1: " + badTime},
		{"a,b,,2", "line 1: " + badTime},
		{"a,b,1,", "line 1: " + badValue},
		{"a,b,1,2147483648", "line 1: " + badValue},
		{"a,b,1,2.5", "line 1: " + badValue},
		{"a,b,1,2\r\r\n", "line 1: " + badValue},
	}
	bs := one()
	for _, tt := range tests {
		for name, v := range map[string]version{"plain": summarisePlain,
			"reused": summariseReused, "arena": bs.summarise} {
			if got := answerText(v, []byte(tt.body)); got != tt.want {
				t.Errorf("%s: answer to %q:\n%s\nwant\n%s", name, tt.body, got, tt.want)
			}
		}
	}
}

// TestSame compares the versions on batches of all sizes, some of them damaged.
func TestSame(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	bs := one()
	wrong := 0
	for i := range 300 {
		body := generate(random, 1+random.IntN(1+5*i))
		if i%2 == 1 {
			body[random.IntN(len(body))] = ",\n\rx-0. "[random.IntN(8)]
		}
		want := answerText(summarisePlain, body)
		if strings.HasPrefix(want, "line") {
			wrong++
		}
		if got := answerText(bs.summarise, body); got != want {
			t.Fatalf("batch %d: got\n%s\nwant\n%s", i, got, want)
		}
		if got := answerText(summariseReused, body); got != want {
			t.Fatalf("batch %d: with a sync.Pool:\n%s\nwant\n%s", i, got, want)
		}
	}
	if wrong == 0 || wrong > 150 {
		t.Errorf("%d of 300 batches are refused, want some", wrong)
	}
}

// TestRead reads bodies in pieces of various sizes, with and without a declared size.
func TestRead(t *testing.T) {
	body := generate(rand.New(rand.NewPCG(7, 8)), 1000)
	want := answerText(summarisePlain, body)
	bs := one()
	readers := map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r },
		"bytes": iotest.OneByteReader, "halves": iotest.HalfReader, "end at once": iotest.DataErrReader,
	}
	for name, reader := range readers {
		for _, size := range []int64{-1, 0, int64(len(body)), 10 * int64(len(body))} {
			answer, err := answerOf(bs.summarise, reader(bytes.NewReader(body)), size)
			if got := fmt.Sprintf("%s%v", answer, err); got != want {
				t.Errorf("%s, size %d: got\n%s\nwant\n%s", name, size, got, want)
			}
		}
	}
	broken := errors.New("broken")
	if _, err := answerOf(bs.summarise, iotest.ErrReader(broken), -1); !errors.Is(err, broken) {
		t.Errorf("broken body: error %v", err)
	}
	if got := answerText(bs.summarise, body); got != want {
		t.Errorf("after a broken body: got\n%s\nwant\n%s", got, want)
	}
}

// FuzzParse compares the parsers. All inputs use the same arena.
func FuzzParse(f *testing.F) {
	f.Add([]byte("pump-1,flow,1,2\npump-1,flow,1,3\r\nfan,speed,4,-5"))
	f.Add([]byte("a,b,1,2\na,b,1,+2\nb,a,01,2\n"))
	f.Add([]byte("a,b,1,2\n\na,b,1"))
	bs := one()
	f.Fuzz(func(t *testing.T, body []byte) {
		want := answerText(summarisePlain, body)
		if got := answerText(bs.summarise, body); got != want {
			t.Errorf("arena: %q\nplain: %q", got, want)
		}
	})
}

// TestNames gives all names the same hash.
func TestNames(t *testing.T) {
	body := generate(rand.New(rand.NewPCG(9, 10)), 300)
	want := answerText(summarisePlain, body)
	bs := one()
	b := <-bs.free
	b.names.hash = func([]byte) uint64 { return 7 }
	bs.free <- b
	for range 3 {
		if got := answerText(bs.summarise, body); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}

func TestAllocs(t *testing.T) {
	bs := one()
	r := bytes.NewReader(nil)
	bodies := [][]byte{generate(rand.New(rand.NewPCG(1, 1)), 500), generate(rand.New(rand.NewPCG(2, 1)), 1500)}
	length := 0
	reply := func(b []byte) { length = len(b) }
	for _, body := range bodies {
		n := testing.AllocsPerRun(100, func() {
			r.Reset(body)
			if err := bs.summarise(context.Background(), r, int64(len(body)), reply); err != nil {
				t.Fatal(err)
			}
		})
		if n != 0 || length < 1000 {
			t.Errorf("a batch of %d bytes, with an answer of %d, allocates %v objects", len(body), length, n)
		}
	}
}

// TestMemory checks that a usual batch fits into the chunk that its arena keeps, and that the other
// chunks of a large batch are freed.
func TestMemory(t *testing.T) {
	bs := one()
	b := <-bs.free
	bs.free <- b // this test is the only user
	most := 0
	reply := func([]byte) { most = b.arena.Stats().Reserved }
	for _, lines := range []int{1500, 30_000, 1500, 30_000, 10} {
		body := generate(rand.New(rand.NewPCG(1, 1)), lines)
		if err := bs.summarise(t.Context(), bytes.NewReader(body), int64(len(body)), reply); err != nil {
			t.Fatal(err)
		}
		if usual := lines <= 1500; usual != (most == chunk) {
			t.Errorf("%d lines need %d bytes", lines, most)
		}
		if r, u := b.arena.Stats().Reserved, b.arena.Used(); r != chunk || u > 8 {
			t.Errorf("after %d lines: %d bytes are left, and %d in use", lines, r, u)
		}
	}
}

// TestNewlines checks that no room is made for the readings of a body of newlines.
func TestNewlines(t *testing.T) {
	b := newBatch()
	body := bytes.Repeat([]byte{'\n'}, mostBytes)
	if err := b.read(bytes.NewReader(body), int64(len(body))); err != nil {
		t.Fatal(err)
	}
	if err := b.parse(); err == nil {
		t.Error("lines of nothing are taken for readings")
	}
	const most = 8 * mostBytes // more than the shortest possible readings take
	if r := b.arena.Stats().Reserved; r > most {
		t.Errorf("%d bytes for a body of %d", r, mostBytes)
	}
}

// TestEnd checks that nothing of a request can be read after it.
func TestEnd(t *testing.T) {
	bs := one()
	b := <-bs.free
	bs.free <- b
	var kept *series
	_, err := answerOf(bs.summarise, iotest.DataErrReader(strings.NewReader("a,b,1,2")), 7)
	if err != nil || b.names.text != nil || b.series.Len()+b.at.Len()+b.readings.Len()+b.byName.Len() != 0 {
		t.Errorf("the batch is not empty: %v, %d series", err, b.series.Len())
	}
	if err := bs.summarise(t.Context(), strings.NewReader("a,b,1,2"), 7, func([]byte) {
		copied := *b.series.Ptr(0) // a mistake: the copy outlives the arena's contents
		kept = &copied
	}); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a list can be read after its arena was reset")
		}
	}()
	kept.readings.Slice(b.arena)
}

func do(h http.Handler, method, path string, body io.Reader, size int64) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, body)
	r.ContentLength = size
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestRefused(t *testing.T) {
	large := bytes.Repeat([]byte("a,b,1,1\n"), mostBytes/8)
	larger := append(bytes.Clone(large), 'a')
	for name, v := range map[string]version{"plain": summarisePlain, "arena": one().summarise} {
		h := handler(v)
		tests := []struct {
			method, path string
			body         []byte
			size         int64
			status       int
		}{
			{"POST", "/readings", []byte("a,b,1,2"), 7, 200},
			{"POST", "/readings", large, int64(len(large)), 200},
			{"POST", "/readings", large, -1, 200},
			{"POST", "/readings", larger, int64(len(larger)), 413},
			{"POST", "/readings", larger, -1, 413},
			{"POST", "/readings", []byte("a,b,1,2"), 1 << 40, 413},
			{"POST", "/readings", []byte("a,b,1"), 5, 400},
			{"POST", "/readings", nil, 0, 400},
			{"GET", "/readings", nil, 0, 405},
			{"POST", "/", nil, 0, 404},
		}
		for _, tt := range tests {
			w := do(h, tt.method, tt.path, bytes.NewReader(tt.body), tt.size)
			if w.Code != tt.status {
				t.Errorf("%s: %s %s of %d bytes: status %d, want %d", name,
					tt.method, tt.path, len(tt.body), w.Code, tt.status)
			}
			if tt.status == 200 && !strings.HasPrefix(w.Body.String(), "readings 1,") {
				t.Errorf("%s: answer %q", name, w.Body.String())
			}
		}
		if w := do(h, "POST", "/readings", iotest.ErrReader(io.ErrUnexpectedEOF), -1); w.Code != 400 {
			t.Errorf("%s: a body that is cut off: status %d", name, w.Code)
		}
	}
}

// writerFunc is a ResponseWriter that calls a function.
type writerFunc struct {
	http.ResponseWriter
	write func([]byte) (int, error)
}

func (w writerFunc) Write(b []byte) (int, error) { return w.write(b) }

// TestPanic panics in the body and in the answer, with one arena for all requests.
func TestPanic(t *testing.T) {
	bs := one()
	b := <-bs.free
	bs.free <- b
	h := handler(bs.summarise)
	try := func(body io.Reader, w http.ResponseWriter) (value any) {
		defer func() { value = recover() }()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/readings", body))
		return nil
	}
	good := func() io.Reader { return strings.NewReader("a,b,1,2\nc,d,1,2\n") }
	panics := func([]byte) (int, error) { panic(http.ErrAbortHandler) }
	for range 3 {
		if v := try(good(), writerFunc{httptest.NewRecorder(), panics}); v != http.ErrAbortHandler {
			t.Fatalf("the answer: recovered %v", v)
		}
		if v := try(io.MultiReader(good(), readerFunc(panics)), httptest.NewRecorder()); v != http.ErrAbortHandler {
			t.Fatalf("the body: recovered %v", v)
		}
		if len(bs.free) != 1 || b.arena.Used() > 8 || b.series.Len() != 0 {
			t.Fatalf("%d batches are free, of which %d bytes are used by %d series",
				len(bs.free), b.arena.Used(), b.series.Len())
		}
		if w := do(h, "POST", "/readings", good(), -1); w.Code != 200 {
			t.Fatalf("after a panic: status %d", w.Code)
		}
	}
}

type readerFunc func([]byte) (int, error)

func (r readerFunc) Read(b []byte) (int, error) { return r(b) }

// TestBusy checks that a request is refused while other requests hold all batches.
func TestBusy(t *testing.T) {
	bs := newBatches(2, time.Millisecond)
	h := handler(bs.summarise)
	var held, done sync.WaitGroup
	release := make(chan struct{})
	for range 2 {
		held.Add(1)
		began := sync.OnceFunc(held.Done)
		body := readerFunc(func(p []byte) (int, error) {
			began()
			<-release
			return copy(p, "a,b,1,2"), io.EOF
		})
		done.Go(func() {
			if w := do(h, "POST", "/readings", body, -1); w.Code != 200 {
				t.Errorf("status %d", w.Code)
			}
		})
	}
	held.Wait()
	if w := do(h, "POST", "/readings", strings.NewReader("a,b,1,2"), 7); w.Code != 503 ||
		w.Header().Get("Retry-After") == "" {
		t.Errorf("while both batches are taken: status %d", w.Code)
	}
	close(release)
	done.Wait()
	if w := do(h, "POST", "/readings", strings.NewReader("a,b,1,2"), 7); w.Code != 200 {
		t.Errorf("status %d", w.Code)
	}
}

// TestTogether makes concurrent requests, with few batches, over the loopback. Each must get its
// own answer. The race detector finds requests that use the same arena at the same time.
func TestTogether(t *testing.T) {
	w, err := newWorkload()
	if err != nil {
		t.Fatal(err)
	}
	bs := newBatches(3, time.Minute)
	n := 400
	if testing.Short() {
		n = 100
	}
	r, err := measure(bs.summarise, w, n, 8)
	if err != nil || r.right != n {
		t.Errorf("%d of %d answers are right: %v", r.right, n, err)
	}
	seen := map[*arena.Arena]bool{}
	for range cap(bs.free) {
		b := <-bs.free
		seen[b.arena] = true
		if b.arena.Used() > 8 {
			t.Errorf("%d bytes of an arena are used", b.arena.Used())
		}
	}
	if len(seen) != 3 {
		t.Errorf("the free list has %d arenas, want 3", len(seen))
	}
}

// TestRun checks the output of the program with a tenth of the requests. Figures differ from run to
// run.
func TestRun(t *testing.T) {
	var got strings.Builder
	if err := run(&got, 300); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("expect.txt")
	if err != nil {
		t.Fatal(err)
	}
	want = regexp.MustCompile(`\b3000\b`).ReplaceAll(want, []byte(" 300"))
	pattern := strings.ReplaceAll(regexp.QuoteMeta(string(want)), `\.\.\.`, `.*`)
	if !regexp.MustCompile(`\A` + pattern + `\z`).MatchString(got.String()) {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

// TestServeUntil makes a request to the printed address.
func TestServeUntil(t *testing.T) {
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	printed, out := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- serveUntil(ctx, "127.0.0.1:0", out) }()
	var url string
	if _, err := fmt.Fscan(printed, &url); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.Copy(io.Discard, printed) }()
	var answer bytes.Buffer
	if err := post(http.DefaultClient, url, []byte("a,b,1,2"), &answer); err != nil ||
		!strings.HasPrefix(answer.String(), "readings 1,") {
		t.Errorf("answer %q, %v", answer.String(), err)
	}
	http.DefaultClient.CloseIdleConnections()
	interrupt()
	if err := <-served; err != nil {
		t.Error(err)
	}
	_ = out.Close()
	if serveUntil(ctx, "no address", io.Discard) == nil {
		t.Error("no error of no address")
	}
}
