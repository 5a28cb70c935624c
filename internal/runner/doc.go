// Package runner carries out the commands of the loop on this machine: it takes snapshots, runs agents, has
// work checked, restores, and asks at gates.
package runner
