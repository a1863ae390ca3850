//go:build browser

package main

import (
	"fmt"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/seed505807e1/berth/examples/missiles/sim"
)

// colours counts pixels of a rectangle that are distinctly of one colour.
func colours(img image.Image, in image.Rectangle) (ship, drone, weaver, brute int) {
	for y := in.Min.Y; y < in.Max.Y; y++ {
		for x := in.Min.X; x < in.Max.X; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			r, g, b = r>>8, g>>8, b>>8
			switch {
			case g > 130 && b > 130 && r+60 < g:
				ship++
			case r > 130 && g < r/2 && b > r/3 && b < r*3/4:
				drone++
			case r > 130 && g > r/3 && g < r*4/5 && b < r/3:
				weaver++
			case b > 130 && r > b/2 && r < b && g < b/2:
				brute++
			}
		}
	}
	return ship, drone, weaver, brute
}

// check checks that the picture has the ship in the middle, and enemies.
func check(t *testing.T, img image.Image) {
	t.Helper()
	b := img.Bounds()
	middle := image.Pt((b.Min.X+b.Max.X)/2, (b.Min.Y+b.Max.Y)/2)
	ship, _, _, _ := colours(img, image.Rectangle{middle, middle}.Inset(-40))
	_, drone, weaver, brute := colours(img, b)
	t.Logf("%v: pixels of the ship %d, drones %d, weavers %d, brutes %d", b, ship, drone, weaver, brute)
	if ship < 10 || drone < 200 || weaver < 50 || brute < 50 {
		t.Error("too few: something is not drawn")
	}
}

// differ counts the pixels in which two pictures differ.
func differ(a, b image.Image) (n int) {
	for y := range a.Bounds().Max.Y {
		for x := range a.Bounds().Max.X {
			if a.At(x, y) != b.At(x, y) {
				n++
			}
		}
	}
	return n
}

// expect returns the checksum of a game that the pilot plays.
func expect(seed uint64, wave, frames int) string {
	w := sim.New(sim.Config{Seed: seed, Wave: wave})
	for range frames {
		w.Step(w.Pilot())
	}
	return fmt.Sprintf("%016x", w.Checksum())
}

// program builds the game for a desktop.
func program(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "missiles")
	build := exec.Command("go", "build", "-o", file, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return file
}

// This test needs a screen, from Xvfb, but no browser.
func TestNoBrowserDesktop(t *testing.T) {
	xvfb, err := exec.LookPath("xvfb-run")
	if err != nil {
		t.Skip("there is no xvfb-run: apt-get install xvfb xauth libgl1-mesa-dri libgl1 libx11-6 " +
			"libxcursor1 libxi6 libxinerama1 libxrandr2 libxxf86vm1")
	}
	const seed, wave, frames = 7, 9, 300
	game, shot := program(t), filepath.Join(t.TempDir(), "shot.png")
	cmd := exec.CommandContext(t.Context(), xvfb, "-a", "-s", "-screen 0 1024x768x24 +extension GLX",
		game, "-demo", "-seed", strconv.Itoa(seed), "-wave", strconv.Itoa(wave),
		"-frames", strconv.Itoa(frames), "-width", "800", "-height", "500", "-shot", shot)
	cmd.Env = append(os.Environ(), "LIBGL_ALWAYS_SOFTWARE=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
	if want := expect(seed, wave, frames); !strings.Contains(string(out), want) {
		t.Errorf("it says %q, want the checksum %s", out, want)
	}
	f, err := os.Open(shot)
	must(t, err)
	defer f.Close() //nolint:errcheck // it is only read
	img, err := png.Decode(f)
	must(t, err)
	if b := img.Bounds(); b.Dx() != 800 || b.Dy() != 500 {
		t.Errorf("the picture is %v", b)
	}
	check(t, img)
}

// Without a screen, the game ends with an error that explains it.
func TestNoBrowserNoScreen(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere there is always a screen")
	}
	cmd := exec.CommandContext(t.Context(), program(t), "-frames", "10")
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "DISPLAY=") && !strings.HasPrefix(v, "WAYLAND_DISPLAY=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	out, err := cmd.CombinedOutput()
	if err == nil || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("it ends with %v", err)
	}
	if s := string(out); !strings.Contains(s, "no screen") ||
		strings.Contains(s, "goroutine") || strings.Count(s, "\n") != 1 {
		t.Errorf("it says:\n%s", s)
	}
}
