// Package journal keeps one append-only file for each task, each line chained to the one before by its hash,
// with attachments by hash.
package journal
