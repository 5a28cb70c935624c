package remote

// AtOnce sets how many refs one push has at most.
func AtOnce(n int) { maxRefs = n }
