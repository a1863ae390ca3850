module github.com/seed505807e1/berth/concurrent/linear

go 1.26.0

require (
	github.com/anishathalye/porcupine v1.3.1
	github.com/seed505807e1/berth v0.1.0
)

replace github.com/seed505807e1/berth => ../..
