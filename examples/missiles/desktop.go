//go:build !js

package main

import (
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"github.com/hajimehoshi/ebiten/v2"
)

func parse() (p params, err error) {
	flag.Uint64Var(&p.seed, "seed", 0, "of the game; 0 is another one each time")
	flag.BoolVar(&p.demo, "demo", false, "let it play by itself")
	flag.BoolVar(&p.safe, "safe", false, "the ship takes no harm")
	flag.IntVar(&p.wave, "wave", 1, "to begin with, 1 to 30")
	flag.IntVar(&p.frames, "frames", 0, "end after so many of the game")
	flag.StringVar(&p.shot, "shot", "", "with -frames, write the last one to this PNG `file`")
	flag.IntVar(&p.width, "width", 1280, "of the window")
	flag.IntVar(&p.height, "height", 720, "of the window")
	flag.StringVar(&p.debug, "debug", "",
		"show the pools at this `address`, such as 127.0.0.1:6060")
	flag.Parse()
	if flag.NArg() > 0 {
		return p, fmt.Errorf("what is %q? There are only flags, see -help", flag.Arg(0))
	}
	return p, writable(p.shot)
}

// writable returns an error if the file cannot be created, before the run instead of after it.
func writable(file string) error {
	if file == "" {
		return nil
	}
	dir, err := os.Stat(filepath.Dir(file))
	if err == nil && !dir.IsDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		return fmt.Errorf("-shot %s: %w", file, err)
	}
	if at, err := os.Stat(file); err == nil && at.IsDir() {
		return fmt.Errorf("-shot %s: that is a directory", file)
	}
	return nil
}

// pace makes a run of a fixed number of frames draw one picture for each, as fast as possible, so
// that it does not depend on the clock.
func (p *params) pace() {
	if p.frames > 0 {
		ebiten.SetVsyncEnabled(false)
		ebiten.SetTPS(ebiten.SyncWithFPS)
		ebiten.SetRunnableOnUnfocused(true)
	}
}

// explain adds advice to the error if there is no screen.
func explain(err error) error {
	if runtime.GOOS != "windows" && runtime.GOOS != "darwin" && os.Getenv("DISPLAY") == "" {
		return fmt.Errorf("there is no screen to open a window on (DISPLAY is not set); "+
			"in a browser, go run ./examples/missiles/web; without either, xvfb-run: %w", err)
	}
	return fmt.Errorf("cannot open a window: %w", err)
}

func (a *app) escape() error { return ebiten.Termination }

// end waits for the last picture and then ends the program.
func (a *app) end() error {
	if a.shot != "" {
		return a.failed
	}
	fmt.Printf("%d frames, %d pictures, %.1f a second; %d live things, checksum %016x\n",
		a.world.Frame, a.drawn, ebiten.ActualFPS(), a.world.Live(), a.world.Checksum())
	return ebiten.Termination
}

func (a *app) publish() {}

func publishError(error) {}

func fingers() bool { return false }

// save writes the picture as a PNG file.
func save(screen *ebiten.Image, file string) error {
	img := image.NewRGBA(screen.Bounds())
	screen.ReadPixels(img.Pix)
	for i := 3; i < len(img.Pix); i += 4 {
		img.Pix[i] = 255 // added light may have changed it
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	if err := png.Encode(f, img); err != nil {
		f.Close() //nolint:errcheck // there is an error already
		return err
	}
	return f.Close()
}
