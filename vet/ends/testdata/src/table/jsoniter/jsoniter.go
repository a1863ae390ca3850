// Package table uses streams of jsoniter that were returned.
package table

import jsoniter "github.com/json-iterator/go"

var json = jsoniter.ConfigFastest

// bad: github.com/json-iterator/go.StreamPool.ReturnStream
// bad: github.com/json-iterator/go.Stream.Buffer
func marshal(v any) ([]byte, error) {
	stream := json.BorrowStream(nil)
	defer json.ReturnStream(stream)
	stream.WriteVal(v)
	if stream.Error != nil {
		return nil, stream.Error
	}
	return stream.Buffer(), nil // want `stream.Buffer\(\) is returned, but the deferred`
}

// good: github.com/json-iterator/go.StreamPool.ReturnStream
// good: github.com/json-iterator/go.Stream.Buffer
func marshalCopied(v any) ([]byte, error) {
	stream := json.BorrowStream(nil)
	defer json.ReturnStream(stream)
	stream.WriteVal(v)
	if stream.Error != nil {
		return nil, stream.Error
	}
	result := stream.Buffer()
	copied := make([]byte, len(result))
	copy(copied, result)
	return copied, nil
}
