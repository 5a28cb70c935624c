// Package config parses .belay/config.yaml strictly and reports the source of each value. Only this
// package decides which commands may run: it makes a Command from what a person typed or trusted.
// It never runs one.
package config
