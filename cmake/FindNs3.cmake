# Copyright (c) 2026 ns3-hbd authors
#
# SPDX-License-Identifier: GPL-2.0-only
#
# Finds ns-3's core and network modules as Debian's libns3-dev installs them.
#
# ns-3's own package files are not used: with libns3-dev alone, find_package(ns3) asks for programs of another package, and the
# Cflags of ns3-core.pc name folders that do not exist. Only the Version line of ns3-core.pc is read.
#
# Defines:
#   Ns3_FOUND, Ns3_VERSION
#   Ns3_CXX_STANDARD    the C++ standard that the headers of this version need
#   Ns3::core, Ns3::network   imported targets

find_path(Ns3_INCLUDE_DIR NAMES ns3/core-config.h)
find_library(Ns3_CORE_LIBRARY NAMES ns3-core)
find_library(Ns3_NETWORK_LIBRARY NAMES ns3-network)
mark_as_advanced(Ns3_INCLUDE_DIR Ns3_CORE_LIBRARY Ns3_NETWORK_LIBRARY)

if(Ns3_CORE_LIBRARY)
    get_filename_component(Ns3_LIBRARY_DIR "${Ns3_CORE_LIBRARY}" DIRECTORY)
    find_file(Ns3_PC_FILE NAMES ns3-core.pc HINTS "${Ns3_LIBRARY_DIR}/pkgconfig" NO_DEFAULT_PATH)
    mark_as_advanced(Ns3_PC_FILE)
    if(Ns3_PC_FILE)
        file(STRINGS "${Ns3_PC_FILE}" Ns3_VERSION_LINE REGEX "^Version:" LIMIT_COUNT 1)
        string(REGEX REPLACE "^Version:[ \t]*([0-9.]+).*" "\\1" Ns3_VERSION "${Ns3_VERSION_LINE}")
    endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(
    Ns3
    REQUIRED_VARS Ns3_CORE_LIBRARY Ns3_NETWORK_LIBRARY Ns3_INCLUDE_DIR Ns3_VERSION
    VERSION_VAR Ns3_VERSION
    REASON_FAILURE_MESSAGE "On Debian: apt-get install libns3-dev"
)

if(Ns3_FOUND)
    # 3.37-3.40 are C++17 (core-module.h of 3.37 is no valid C++20), 3.41-3.45 C++20, later ones C++23.
    if(Ns3_VERSION VERSION_LESS 3.41)
        set(Ns3_CXX_STANDARD 17)
    elseif(Ns3_VERSION VERSION_LESS 3.46)
        set(Ns3_CXX_STANDARD 20)
    else()
        set(Ns3_CXX_STANDARD 23)
    endif()

    foreach(module core network)
        if(NOT TARGET Ns3::${module})
            string(TOUPPER ${module} upper)
            add_library(Ns3::${module} UNKNOWN IMPORTED)
            set_target_properties(
                Ns3::${module}
                PROPERTIES
                    IMPORTED_LOCATION "${Ns3_${upper}_LIBRARY}"
                    INTERFACE_INCLUDE_DIRECTORIES "${Ns3_INCLUDE_DIR}"
            )
        endif()
    endforeach()
    set_property(TARGET Ns3::network APPEND PROPERTY INTERFACE_LINK_LIBRARIES Ns3::core)
endif()
