package intent

// wishStart returns where a clause changes from the present state to the wanted one, -1 if it does
// not.
func wishStart(low []string) int {
	for i, w := range low {
		if IsReportingVerb.Has(w) && i > 0 {
			return -1 // a person's or program's words are no wish
		}
		if isOneOf(w, "should", "must", "shall", "shouldn't", "mustn't") && i > 0 {
			return 0
		}
		if isOneOf(w, "could", "would", "might") && i > 0 && i+2 < len(low) && low[i+1] == "be" && ComparisonAt(low[i+1:]) > 0 {
			return 0
		}
		if isOneOf(w, "has", "have", "needs", "need") && i+1 < len(low) && low[i+1] == "to" {
			return 0
		}
	}
	return -1
}
