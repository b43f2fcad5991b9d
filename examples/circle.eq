# Circle test: a method that damps or amplifies leaves the circle in the plane of y and z.
# Veigend, PhD thesis (Brno 2023), sec. 3.5.1 (3.31); with --set A=5 it is (3.29).
param omega = 1 [rad/s], A = 1

y' =  omega*z
z' = -omega*y

init y = 0, z = A
output r     = sqrt(y^2 + z^2)
output error = y - A*sin(omega*t)
run 0 .. 50
