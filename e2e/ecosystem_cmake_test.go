package e2e

// cmakeFrame are the provider's files: a library, and its tests by GoogleTest.
var cmakeFrame = map[string]string{
	"CMakeLists.txt": `
cmake_minimum_required(VERSION 3.16)
project(Beacon VERSION 1.4.0 LANGUAGES CXX)
option(BEACON_BUILD_TESTS "build the tests" OFF)
add_library(beacon src/beacon.cpp)
add_library(Beacon::beacon ALIAS beacon)
target_include_directories(beacon PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
install(TARGETS beacon EXPORT BeaconTargets ARCHIVE DESTINATION lib)
install(DIRECTORY include/ DESTINATION include)
install(EXPORT BeaconTargets NAMESPACE Beacon:: FILE ${PROJECT_NAME}Config.cmake DESTINATION lib/cmake/Beacon)
if(BEACON_BUILD_TESTS)
  enable_testing()
  add_subdirectory(tests)
endif()
`,
	"include/beacon/beacon.h": `
#pragma once
namespace beacon {
int range(int height);
}
`,
	"src/beacon.cpp": `
#include "beacon/beacon.h"

int beacon::range(int height) { return height * 2; }
`,
	"tests/CMakeLists.txt": `
find_package(GTest REQUIRED)
include(GoogleTest)
add_executable(beacon_test beacon_test.cpp)
target_link_libraries(beacon_test PRIVATE beacon GTest::gtest_main)
gtest_discover_tests(beacon_test)
`,
	"tests/beacon_test.cpp": `
#include <gtest/gtest.h>

#include "beacon/beacon.h"

TEST(Beacon, Range) { EXPECT_EQ(beacon::range(3), 6); }
`,
}

// cmakeBeacon is the provider and its change.
var cmakeBeacon = change{
	repo: "tide-example/beacon",
	base: cmakeFrame,
	head: map[string]string{
		"include/beacon/beacon.h": `
#pragma once
namespace beacon {
int range(int height);
int range_in_fog(int height, int density);
}
`,
		"src/beacon.cpp": `
#include "beacon/beacon.h"

int beacon::range(int height) { return height * 2; }

int beacon::range_in_fog(int height, int density) { return range(height) / (density + 1); }
`,
		"tests/beacon_test.cpp": `
#include <gtest/gtest.h>

#include "beacon/beacon.h"

TEST(Beacon, Range) { EXPECT_EQ(beacon::range(3), 6); }

TEST(Beacon, RangeInFog) { EXPECT_EQ(beacon::range_in_fog(3, 1), 3); }
`,
	},
}

// cmakeConsumer is a consumer that comes by the provider in a way of its own.
func cmakeConsumer(repo, finding string) change {
	return change{
		repo: repo,
		base: map[string]string{
			"CMakeLists.txt": `
cmake_minimum_required(VERSION 3.16)
project(watch CXX)
` + finding + `
add_library(watch src/watch.cpp)
target_include_directories(watch PUBLIC src)
target_link_libraries(watch PUBLIC Beacon::beacon)
include(CTest)
add_subdirectory(tests)
`,
			"src/watch.h": "#pragma once\nbool seen(int height, int distance, int fog);\n",
			"src/watch.cpp": `
#include "watch.h"

#include <beacon/beacon.h>

bool seen(int height, int distance, int) { return beacon::range(height) >= distance; }
`,
			"tests/CMakeLists.txt": `
add_executable(watch_test watch_test.cpp)
target_link_libraries(watch_test PRIVATE watch)
add_test(NAME watch COMMAND watch_test)
`,
			"tests/watch_test.cpp": `
#include "watch.h"

int main() { return seen(3, 5, 0) ? 0 : 1; }
`,
		},
		head: map[string]string{
			"src/watch.cpp": `
#include "watch.h"

#include <beacon/beacon.h>

bool seen(int height, int distance, int fog) { return beacon::range_in_fog(height, fog) >= distance; }
`,
			"tests/CMakeLists.txt": `
add_executable(watch_test watch_test.cpp)
target_link_libraries(watch_test PRIVATE watch)
add_test(NAME watch COMMAND watch_test)
add_executable(fog_test fog_test.cpp)
target_link_libraries(fog_test PRIVATE watch)
add_test(NAME fog COMMAND fog_test)
`,
			"tests/fog_test.cpp": `
#include "watch.h"

int main() { return seen(3, 5, 1) ? 1 : 0; }
`,
		},
	}
}

// cmakePackage finds the provider with find_package. The trap is a released
// copy that the consumer brings along and prefers.
var cmakePackage = ecosystem{
	name:     "cmake find_package",
	provider: cmakeBeacon,
	consumer: cmakeConsumer("tide-example/watch", "find_package(Beacon REQUIRED)"),
	joint:    []string{"tide-example/watch::tests/fog_test.cpp::fog"},
	trap: map[string]string{
		"CMakeLists.txt": `
cmake_minimum_required(VERSION 3.16)
project(watch CXX)
find_package(Beacon REQUIRED PATHS ${CMAKE_CURRENT_SOURCE_DIR}/released NO_DEFAULT_PATH)
add_library(watch src/watch.cpp)
target_include_directories(watch PUBLIC src)
target_link_libraries(watch PUBLIC Beacon::beacon)
include(CTest)
add_subdirectory(tests)
`,
		"released/lib/cmake/Beacon/BeaconConfig.cmake": `
add_library(Beacon::beacon INTERFACE IMPORTED)
target_include_directories(Beacon::beacon INTERFACE ${CMAKE_CURRENT_LIST_DIR}/../../../include)
`,
		"released/include/beacon/beacon.h": `
#pragma once
namespace beacon {
inline int range(int height) { return height * 2; }
inline int range_in_fog(int height, int density) { return range(height) / (density + 1); }
}
`,
	},
	void: "Beacon comes from /testbed/watch/released",
}

// cmakeContent fetches the provider. The trap is a package of the same name
// that the consumer takes first, as a distribution's could be.
var cmakeContent = ecosystem{
	name:     "cmake FetchContent",
	provider: cmakeBeacon,
	consumer: cmakeConsumer("tide-example/lookout", `
include(FetchContent)
FetchContent_Declare(Beacon GIT_REPOSITORY https://github.com/tide-example/beacon.git GIT_TAG v1.4.0)
FetchContent_MakeAvailable(Beacon)`),
	joint: []string{"tide-example/lookout::tests/fog_test.cpp::fog"},
	trap: map[string]string{
		"CMakeLists.txt": `
cmake_minimum_required(VERSION 3.16)
project(watch CXX)
find_package(Beacon QUIET PATHS ${CMAKE_CURRENT_SOURCE_DIR}/released NO_DEFAULT_PATH)
if(NOT Beacon_FOUND)
  include(FetchContent)
  FetchContent_Declare(Beacon GIT_REPOSITORY https://github.com/tide-example/beacon.git GIT_TAG v1.4.0)
  FetchContent_MakeAvailable(Beacon)
endif()
add_library(watch src/watch.cpp)
target_include_directories(watch PUBLIC src)
target_link_libraries(watch PUBLIC Beacon::beacon)
include(CTest)
add_subdirectory(tests)
`,
		"released/lib/cmake/Beacon/BeaconConfig.cmake": cmakePackage.trap["released/lib/cmake/Beacon/BeaconConfig.cmake"],
		"released/include/beacon/beacon.h":             cmakePackage.trap["released/include/beacon/beacon.h"],
	},
	void: "Beacon comes from /testbed/lookout/released",
}
