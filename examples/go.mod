module github.com/seed505807e1/berth/examples

go 1.26

require (
	github.com/google/uuid v1.6.0
	github.com/seed505807e1/berth v0.0.0-00010101000000-000000000000
	github.com/tidwall/rtree v1.10.0
)

require (
	github.com/tidwall/geoindex v1.7.0 // indirect
	golang.org/x/sys v0.42.0 // indirect
)

replace github.com/seed505807e1/berth => ../
