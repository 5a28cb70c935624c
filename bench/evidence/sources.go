package main

import "errors"

func (b *bench) sources(string) error { return errors.New("later") }
