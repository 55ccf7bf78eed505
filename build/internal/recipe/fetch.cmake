# Fetches what a FetchContent_Declare says, in script mode:
#   cmake -DNAME=x -DDIR=/where -DARGS=GIT_REPOSITORY;…;GIT_TAG;… -P fetch.cmake
cmake_minimum_required(VERSION 3.14)
include(FetchContent)
list(FIND ARGS SOURCE_SUBDIR at)
if(at GREATER -1)
  list(REMOVE_AT ARGS ${at})
  list(REMOVE_AT ARGS ${at})
endif()
FetchContent_Populate(${NAME} QUIET SOURCE_DIR ${DIR} BINARY_DIR ${DIR}-build SUBBUILD_DIR ${DIR}-subbuild ${ARGS})
file(REMOVE_RECURSE ${DIR}-build ${DIR}-subbuild)
# No other repository's past belongs into the image.
file(GLOB_RECURSE git LIST_DIRECTORIES true ${DIR}/*.git ${DIR}/.git)
foreach(path IN LISTS git)
  get_filename_component(name ${path} NAME)
  if(name STREQUAL ".git")
    file(REMOVE_RECURSE ${path})
  endif()
endforeach()
