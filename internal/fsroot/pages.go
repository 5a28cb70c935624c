package fsroot

import "unsafe"

// hugePage is the size in bytes of a large memory page on most machines.
const hugePage = 2 << 20

// MakeLarge is make([]T, n) for a slice that is filled completely and may be large, such as the
// result of scanning a large tree. It asks the system for large pages: the first access to each
// small page costs more than the write itself (15 µs in a virtual machine; 35,000 of them for a
// million files). If the system has no large pages, this is make.
func MakeLarge[T any](n int) []T {
	s := make([]T, n)
	if n == 0 {
		return s
	}
	first := unsafe.Pointer(unsafe.SliceData(s))
	start, size := uintptr(first), uintptr(n)*unsafe.Sizeof(s[0])
	from, to := (start+hugePage-1)&^uintptr(hugePage-1), (start+size)&^uintptr(hugePage-1)
	if from < to { // only pages without other data
		adviseLargePages(unsafe.Slice((*byte)(first), size)[from-start : to-start])
	}
	return s
}

// StringOf returns the bytes as a string without a copy. They must not be modified afterwards.
func StringOf(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
