module github.com/seed505807e1/berth/examples

go 1.26

require (
	github.com/google/uuid v1.6.0
	github.com/seed505807e1/berth v0.0.0-00010101000000-000000000000
)

require golang.org/x/sys v0.42.0 // indirect

replace github.com/seed505807e1/berth => ../
