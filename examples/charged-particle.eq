# An electron in a homogeneous magnetic field moves on a circle of radius m*v/(q*B), about 0.91 mm.
# Veigend, PhD thesis (Brno 2023), sec. 4.3 (4.23).
param m  = 9.10938356e-31 [kg], q = -1.6e-19 [C]
param Ex = 0 [V/m], Ey = 0 [V/m], Ez = 0   [V/m]
param Bx = 0 [T],   By = 0 [T],   Bz = 0.5 [T]
param v0 = -8e7 [m/s]

x'' = q/m*(Ex + y'*Bz - z'*By)
y'' = q/m*(Ey + z'*Bx - x'*Bz)
z'' = q/m*(Ez + x'*By - y'*Bx)

init x = 0 [m], x' = v0 [m/s]
init y = 0 [m], y' = 0  [m/s]
init z = 0 [m], z' = 0  [m/s]

param omega = q*Bz/m [rad/s]
output speed = sqrt(x'^2 + y'^2 + z'^2) [m/s]
output error = x - v0/omega*sin(omega*t) [m]      # without an electric field
run 0 .. 1e-8
