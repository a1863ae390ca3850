module github.com/seed505807e1/berth/lab/trace

go 1.26.0

require github.com/seed505807e1/berth v0.1.0

replace github.com/seed505807e1/berth => ../..
