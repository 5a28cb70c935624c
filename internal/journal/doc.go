// Package journal is belay's only memory: one append-only file per task, each line chained to the previous
// one by its hash, and attachments named by their hash. It does not interpret the entries.
package journal
