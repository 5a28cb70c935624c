package fsroot

import "unsafe"

// hugePage is the size of a large page of memory on most machines, in bytes.
const hugePage = 2 << 20

// MakeLarge is make([]T, n) for what is filled from end to end and may be large, such as what a
// scan of a large tree finds. The system is asked to lend large pages for it: in small ones, the first touch of each costs more than
// what is written there (15 µs in a virtual machine; 35,000 of them at a million files). Where it has none to lend, this
// is make.
func MakeLarge[T any](n int) []T {
	s := make([]T, n)
	if n == 0 {
		return s
	}
	first := unsafe.Pointer(unsafe.SliceData(s))
	start, size := uintptr(first), uintptr(n)*unsafe.Sizeof(s[0])
	from, to := (start+hugePage-1)&^uintptr(hugePage-1), (start+size)&^uintptr(hugePage-1)
	if from < to { // only pages that are ours alone
		adviseLargePages(unsafe.Slice((*byte)(first), size)[from-start : to-start])
	}
	return s
}

// StringOf is the bytes as a string without a copy. Nobody may write to them afterwards.
func StringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
