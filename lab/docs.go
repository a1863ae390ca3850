package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"github.com/seed505807e1/berth/lab/internal/docs"
)

// pagesFolder holds the pages that lab docs writes.
const pagesFolder = "docs"

func docsCommand(stderr io.Writer) *cli.Command {
	return &cli.Command{
		Name:  "docs",
		Usage: "measure the figures in docs/, and write them if the machine is quiet",
		Flags: []cli.Flag{&cli.BoolFlag{
			Name: "kept", Usage: "measure nothing: take the figures of the last run",
		}},
		Action: func(ctx context.Context, c *cli.Command) error {
			if _, err := arguments(c); err != nil {
				return err
			}
			if c.Bool("kept") {
				f, err := docs.Load(pagesFolder)
				if err != nil {
					return failed(err)
				}
				return failed(f.Write(pagesFolder))
			}
			return failed(measurePages(ctx, filepath.Join("lab-out", "docs"), stderr))
		},
	}
}

// measurePages measures and writes. Figures that do not go into the pages are left in out.
func measurePages(ctx context.Context, out string, stderr io.Writer) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	f, err := docs.Measure(ctx, stderr)
	if f == nil {
		return err
	}
	if err == nil {
		if err = f.Write(pagesFolder); err == nil {
			return nil
		}
	}
	return errors.Join(err, f.Write(out)) // a folder without pages
}
