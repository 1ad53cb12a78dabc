"""Is a measured curve normal, and if not, which known cause explains it?"""
