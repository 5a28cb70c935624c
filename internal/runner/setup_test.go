package runner

import (
	"net"
	"testing"
)

// TestAllFree: ports in use are not assigned.
func TestAllFree(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	for _, first := range []int{port, port - portsPerTree + 1} {
		if arePortsFree(first) {
			t.Errorf("%d to %d are free, although %d is not", first, first+portsPerTree-1, port)
		}
	}
}
