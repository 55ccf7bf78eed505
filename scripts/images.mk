# Targets for the container engine and the base images; the Makefile includes
# this file.

# DEMO_IMAGES need no more than Go and Debian's packages; the others are made of
# what stands on this machine where no registry can be reached.
DEMO_IMAGES ?= debian:bookworm-slim golang:1.26-bookworm \
	node:20-bookworm-slim node:22-bookworm-slim node:24-bookworm-slim
BASE_IMAGES ?= $(DEMO_IMAGES) \
	python:3.11-bookworm rust:1.95-bookworm maven:3-eclipse-temurin-17

.PHONY: engine demo-images base-images check-base-images

engine: ## make sure that a container engine answers
	scripts/engine.sh

demo-images: engine
	scripts/base-images.sh $(DEMO_IMAGES)

base-images: engine ## pull the base images, or build stand-ins
	scripts/base-images.sh $(BASE_IMAGES)

check-base-images: base-images ## try the compilers and package managers in them
	scripts/check-base-images.sh $(BASE_IMAGES)
