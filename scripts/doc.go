// Package scripts holds no Go code: the shell scripts beside it make sure that
// a container engine, base images and PostgreSQL are there. Its tests run them against
// programs that play an engine, a system and a user.
package scripts
