package telemetry

// ReadReply is readReply for tests.
func ReadReply(reply []byte) (rejected int64, said string) {
	p := readReply(reply)
	return p.rejected, p.message
}
