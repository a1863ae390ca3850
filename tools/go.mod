module github.com/seed505807e1/berth/tools

go 1.26
