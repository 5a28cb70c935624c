package snapshot

// SplitChunks cuts data where its content says so, so that a file that changed a little
// shares most of its pieces with the one before: an index of 100,000 entries of which
// one changed costs one piece, not ten megabytes. Pieces are 8 to 256 KiB, about 40 on
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

// gear holds a random number for each byte, by splitmix64 from a fixed start: cuts
// must fall alike in every run.
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
