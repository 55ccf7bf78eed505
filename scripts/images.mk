# Targets for the container engine and the base images; the Makefile includes
# this file.

BASE_IMAGES ?= debian:bookworm-slim golang:1.26-bookworm \
	node:20-bookworm-slim node:22-bookworm-slim node:24-bookworm-slim \
	python:3.11-bookworm rust:1.95-bookworm maven:3-eclipse-temurin-17

.PHONY: engine base-images check-base-images

engine: ## make sure that a container engine answers
	scripts/engine.sh

base-images: engine ## pull the base images, or build stand-ins
	scripts/base-images.sh $(BASE_IMAGES)

check-base-images: base-images ## try the compilers and package managers in them
	scripts/check-base-images.sh $(BASE_IMAGES)
