//go:build !js

package main

import (
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"runtime"

	"github.com/hajimehoshi/ebiten/v2"
)

func parse() (p params, err error) {
	flag.Uint64Var(&p.seed, "seed", 0, "of the game; 0 is another one each time")
	flag.BoolVar(&p.demo, "demo", false, "let it play by itself")
	flag.BoolVar(&p.safe, "safe", false, "the ship takes no harm")
	flag.IntVar(&p.wave, "wave", 1, "to begin with, up to 30")
	flag.IntVar(&p.frames, "frames", 0, "end after so many of the game")
	flag.StringVar(&p.shot, "shot", "", "with -frames, write the last one to this PNG `file`")
	flag.IntVar(&p.width, "width", 1280, "of the window")
	flag.IntVar(&p.height, "height", 720, "of the window")
	flag.Parse()
	switch {
	case flag.NArg() > 0:
		err = fmt.Errorf("what is %q? There are only flags, see -help", flag.Arg(0))
	case p.shot != "" && p.frames <= 0:
		err = fmt.Errorf("-shot needs -frames: when to take it")
	case p.width < 200 || p.height < 200:
		err = fmt.Errorf("a window of %d x %d is too small", p.width, p.height)
	}
	return p, err
}

// pace makes a run that counts frames one picture for each, as fast as it goes: it does not depend
// on the clock then.
func (p *params) pace() {
	if p.frames > 0 {
		ebiten.SetVsyncEnabled(false)
		ebiten.SetTPS(ebiten.SyncWithFPS)
		ebiten.SetRunnableOnUnfocused(true)
	}
}

// explain says what to do where there is no screen.
func explain(err error) error {
	if runtime.GOOS != "windows" && runtime.GOOS != "darwin" && os.Getenv("DISPLAY") == "" {
		return fmt.Errorf("there is no screen to open a window on (DISPLAY is not set); "+
			"in a browser, go run ./examples/missiles/web; without either, xvfb-run: %w", err)
	}
	return fmt.Errorf("cannot open a window: %w", err)
}

func (a *app) escape() error { return ebiten.Termination }

// end waits for the last picture, and then ends the program.
func (a *app) end() error {
	if a.shot != "" {
		return a.failed
	}
	fmt.Printf("%d frames, %d pictures, %.1f a second; %d live things, checksum %016x\n",
		a.world.Frame, a.drawn, ebiten.ActualFPS(), a.world.Live(), a.world.Checksum())
	return ebiten.Termination
}

func (a *app) publish() {}

// save writes what has been drawn as a PNG file.
func save(screen *ebiten.Image, file string) error {
	img := image.NewRGBA(screen.Bounds())
	screen.ReadPixels(img.Pix)
	for i := 3; i < len(img.Pix); i += 4 {
		img.Pix[i] = 255 // light that is added may have left it lower
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
