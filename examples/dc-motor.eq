# A DC motor at constant voltage: the speed settles where torque and friction balance.
# Veigend, PhD thesis (Brno 2023), sec. 6.1 (6.8), Table 6.1.
param J = 0.01 [kg*m^2],    b = 0.1 [N*m*s]          # inertia, friction
param R = 1 [Ohm],          L = 0.5 [H]              # armature
param K_e = 0.01 [V*s/rad], K_T = 0.01 [N*m/A]       # back e.m.f., torque
param w = 0 [N*m]                                    # disturbance torque
input u = 1 [V]

J*omega' + b*omega = K_T*i - w
L*i'     + R*i     = u - K_e*omega

init omega = 0 [rad/s], i = 0 [A]
output omega
run 0 .. 10
