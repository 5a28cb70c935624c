package remote

// AtOnce limits the refs of one push.
func AtOnce(n int) { maxRefs = n }
