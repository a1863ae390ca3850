module github.com/seed505807e1/berth

go 1.24.0

require golang.org/x/sys v0.41.0
