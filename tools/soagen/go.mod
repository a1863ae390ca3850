module github.com/seed505807e1/berth/tools/soagen

go 1.24.0
