// Package table keeps the raw values of a row.
package table

import (
	"bytes"

	"github.com/jackc/pgx/v5"
)

func use(...any) {}

// bad: github.com/jackc/pgx/v5.Rows.RawValues github.com/jackc/pgx/v5.Rows.Next
func changes(rows pgx.Rows) {
	var prev [][]byte
	for rows.Next() {
		if prev != nil {
			use(prev) // want `prev is stale: rows.Next on line \d+ ended it`
		}
		prev = rows.RawValues()
	}
}

// good: github.com/jackc/pgx/v5.Rows.RawValues github.com/jackc/pgx/v5.Rows.Next
func changesCopied(rows pgx.Rows) error {
	var prev []byte
	for rows.Next() {
		row := rows.RawValues()
		if !bytes.Equal(prev, row[0]) {
			use(row)
		}
		prev = append(prev[:0], row[0]...)
	}
	return rows.Err()
}

// bad: github.com/jackc/pgx/v5.Rows.Close
func first(rows pgx.Rows) [][]byte {
	defer rows.Close()
	if !rows.Next() {
		return nil
	}
	row := rows.RawValues()
	return row // want `row is returned, but the deferred rows.Close on line \d+ ends it`
}

// good: github.com/jackc/pgx/v5.Rows.Close
func firstScanned(rows pgx.Rows) (name string, err error) {
	defer rows.Close()
	if rows.Next() {
		err = rows.Scan(&name)
	}
	return name, err
}

// good: github.com/jackc/pgx/v5.Rows.Close
func drained(rows pgx.Rows) pgx.Rows {
	defer rows.Close() // the rows still have their error
	for rows.Next() {
	}
	return rows
}
