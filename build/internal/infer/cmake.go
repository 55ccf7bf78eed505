package infer

func (b *inference) hasCMake() bool { return false }

func (b *inference) cmakeMatters() bool { return false }

// cmake adds the C and C++ side of the spec.
func (b *inference) cmake() error { return nil }
