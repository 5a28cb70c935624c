package intent

// wishAt is where a clause turns from what is to what should be.
func wishAt(low []string) int {
	for i, w := range low {
		if Reporting.Has(w) && i > 0 {
			return -1 // what somebody or a program says must be
		}
		if oneOf(w, "should", "must", "shall", "shouldn't", "mustn't") && i > 0 {
			return 0
		}
		if oneOf(w, "could", "would", "might") && i > 0 && i+2 < len(low) && low[i+1] == "be" && Compared(low[i+1:]) > 0 {
			return 0
		}
		if oneOf(w, "has", "have", "needs", "need") && i+1 < len(low) && low[i+1] == "to" {
			return 0
		}
	}
	return -1
}
