// Package config reads .belay/config.yaml strictly and reports where each value comes from. It alone
// decides which commands may run: a Command can only be made here, from what a person typed or trusted. It
// never runs one.
package config
