package snapshot

// SplitChunks splits data at positions that its content determines, so that a file that changed a
// little shares most pieces with its earlier version: an index of 100,000 entries of which one
// changed costs one piece instead of ten megabytes. Pieces are 8 to 256 KiB, about 40 KiB on
// average. Joined in order they are data again.
func SplitChunks(data []byte) [][]byte {
	const least, most, mask = 8 << 10, 256 << 10, 1<<15 - 1
	var pieces [][]byte
	for len(data) > 0 {
		end := min(len(data), most)
		var h uint64
		for i := range end {
			h = h<<1 + gear[data[i]]
			if i >= least && h>>17&mask == 0 {
				end = i + 1
				break
			}
		}
		pieces = append(pieces, data[:end])
		data = data[end:]
	}
	return pieces
}

// gear is a table of random numbers, one for each byte, made by splitmix64 from a fixed seed:
// every run must split at the same positions.
var gear = func() (table [256]uint64) {
	x := uint64(0x62656c6179)
	for i := range table {
		x += 0x9e3779b97f4a7c15
		z := x
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		table[i] = z ^ z>>31
	}
	return table
}()
