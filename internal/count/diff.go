package count

// diffLabels returns the labels that were removed and added.
func diffLabels(before, after []Item) (gone, came []string) {
	n := map[string]int{}
	for _, it := range before {
		n[it.Label]++
	}
	for _, it := range after {
		if n[it.Label] > 0 {
			n[it.Label]--
		} else {
			came = append(came, it.Label)
		}
	}
	for _, it := range before {
		if n[it.Label] > 0 {
			n[it.Label]--
			gone = append(gone, it.Label)
		}
	}
	return gone, came
}

// rewordedLabels returns the labels of items that still exist with another content: a drink for the
// day that is now one for the night. Items with a duplicate label are left out.
func rewordedLabels(before, after []Item) []string {
	was, is := uniqueSums(before), uniqueSums(after)
	var out []string
	for _, it := range before {
		if a, b := was[it.Label], is[it.Label]; a != 0 && b != 0 && a != b {
			out = append(out, it.Label)
		}
	}
	return out
}

// uniqueSums maps labels to the checksums of their items, 0 for a duplicate label.
func uniqueSums(items []Item) map[string]uint64 {
	says := make(map[string]uint64, len(items))
	for _, it := range items {
		if _, twice := says[it.Label]; twice {
			it.Sum = 0
		}
		says[it.Label] = it.Sum
	}
	return says
}
