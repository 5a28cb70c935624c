package fsroot

import "unsafe"

// hugePage is the size of a large page of memory on most machines, in bytes.
const hugePage = 2 << 20

// MakeLarge is make([]T, n) for a slice that is filled completely and may be large, such as the
// result of scanning a large tree. It asks the system for large pages: with small ones, the first
// touch of each costs more than the write itself (15 µs in a virtual machine; 35,000 of them for
// a million files). Where the system has none, this is make.
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

// StringOf returns the bytes as a string without a copy. Nobody may write to them afterwards.
func StringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
