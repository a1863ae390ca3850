module github.com/seed505807e1/berth

go 1.24.0
