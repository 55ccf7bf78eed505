// Package container is everything the stages need of a container engine:
// images are built, saved and listed, containers run commands under limits,
// files go in and out, and nothing is left behind. It speaks the Docker API
// (1.40 and later), so Docker and Podman's Docker socket both serve.
//
// What runs inside is hostile. A container therefore gets no capabilities, no
// new privileges, no mounts, and limits on memory, CPU, processes and output;
// what is read out of it is bounded.
//
// Everything that is created carries the label [Label], the run it belongs to
// and the process that owns it, so that [Engine.Sweep] can remove what a killed
// process left.
//
// An Engine and its Containers may be used by several goroutines at once.
package container
