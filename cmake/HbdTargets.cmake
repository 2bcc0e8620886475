# Copyright (c) 2026 ns3-hbd authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# How this project compiles, and the two functions with which its folders declare targets: hbd_room() and hbd_program().

# Common options, on every target of this project.
add_library(hbd-options INTERFACE)
target_compile_features(hbd-options INTERFACE cxx_std_${Ns3_CXX_STANDARD})
target_compile_options(hbd-options INTERFACE -Wall -Wextra $<$<BOOL:${HBD_WERROR}>:-Werror>)
target_include_directories(hbd-options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_definitions(
    hbd-options
    INTERFACE
        $<$<BOOL:${HBD_NS3_LOG}>:NS3_LOG_ENABLE>
        $<$<BOOL:${HBD_NS3_ASSERT}>:NS3_ASSERT_ENABLE>
)
if(HBD_SANITIZE)
    # The first finding ends the program: a test that only prints one would pass.
    target_compile_options(
        hbd-options
        INTERFACE -fsanitize=${HBD_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer
    )
    target_link_options(hbd-options INTERFACE -fsanitize=${HBD_SANITIZE})
endif()

# All programs in one folder, whatever room they come from.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/bin")

set(CMAKE_CXX_STANDARD ${Ns3_CXX_STANDARD})
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(HBD_CCACHE)
    find_program(HBD_CCACHE_PROGRAM ccache)
    mark_as_advanced(HBD_CCACHE_PROGRAM)
    if(HBD_CCACHE_PROGRAM)
        # Without these two, ccache never hits a file that uses a precompiled header.
        set(CMAKE_CXX_COMPILER_LAUNCHER
            "${CMAKE_COMMAND}" -E env CCACHE_SLOPPINESS=pch_defines,time_macros "${HBD_CCACHE_PROGRAM}"
        )
        if(HBD_PCH)
            target_compile_options(hbd-options INTERFACE -fpch-preprocess)
        endif()
    endif()
endif()

# Sources that match the patterns, looked up again at every build.
function(hbd_glob result)
    file(GLOB sources CONFIGURE_DEPENDS ${ARGN})
    set(${result} ${sources} PARENT_SCOPE)
endfunction()

# hbd_room(<target> SOURCES <files> INCLUDES <folders> LINK <targets> [PCH <headers>])
# The object library of one room; without sources an empty target that programs can link all the same.
function(hbd_room target)
    cmake_parse_arguments(PARSE_ARGV 1 ROOM "" "" "SOURCES;INCLUDES;LINK;PCH")
    if(NOT ROOM_SOURCES)
        message(STATUS "${target}: no sources yet")
        add_library(${target} INTERFACE)
        target_include_directories(${target} INTERFACE ${ROOM_INCLUDES})
        target_link_libraries(${target} INTERFACE hbd-options ${ROOM_LINK})
        return()
    endif()
    add_library(${target} OBJECT ${ROOM_SOURCES})
    target_include_directories(${target} PUBLIC ${ROOM_INCLUDES})
    target_link_libraries(${target} PUBLIC hbd-options ${ROOM_LINK})
    target_compile_definitions(${target} PRIVATE HBD_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    if(HBD_PCH AND ROOM_PCH)
        target_precompile_headers(${target} PRIVATE ${ROOM_PCH})
    endif()
endfunction()

# hbd_program(<target> SOURCES <files> LINK <targets>)
# A program. Objects of a room do not travel through other targets: name every room that the program needs.
# Built when asked for by name, or by the target that lists it (hbd-examples, hbd-tests).
function(hbd_program target)
    cmake_parse_arguments(PARSE_ARGV 1 PROGRAM "" "" "SOURCES;LINK")
    add_executable(${target} ${PROGRAM_SOURCES})
    target_link_libraries(${target} PRIVATE hbd-options ${PROGRAM_LINK})
    target_compile_definitions(${target} PRIVATE HBD_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
endfunction()
