package pgx

type Rows interface {
	Close()
	Err() error
	Next() bool
	Scan(dest ...any) error
	RawValues() [][]byte
}
